import { type DemoPiece, engineRoom, firstLight, harbourLights, slowCurrent } from './music/pieces.ts'

/** A recording of the album. */
export interface AlbumTrack {
  title: string
  description: string
  fileName: string
  piece: DemoPiece
}

/** The album of a demo organization. Code plays its music and draws its cover, so that they belong to no one else. */
export const album = {
  title: 'Night Ferry',
  artist: 'Tonearm House Band',
  description:
    'Four short pieces for a crossing by night, from the last lights of the harbour to the first light of the morning. ' +
    'Played and painted by the code of Tonearm when the service started for the first time. Delete it whenever you like.',
  color: '#d65f63',
  tracks: [
    {
      title: 'Harbour Lights',
      description: 'Plucked strings, while the town grows smaller.',
      fileName: '01 Harbour Lights.wav',
      piece: harbourLights,
    },
    {
      title: 'Slow Current',
      description: 'A pad and distant bells, on the open water.',
      fileName: '02 Slow Current.wav',
      piece: slowCurrent,
    },
    {
      title: 'Engine Room',
      description: 'Drums, bass and mallets, below deck.',
      fileName: '03 Engine Room.wav',
      piece: engineRoom,
    },
    {
      title: 'First Light',
      description: 'An electric piano, when the other shore comes into view.',
      fileName: '04 First Light.wav',
      piece: firstLight,
    },
  ] satisfies AlbumTrack[],
} as const
