import type { Refusal } from '../../domain/playback/admission.ts'
import type { FailureNotice } from '../../platform/http/failure-page.ts'

/** Names the limit that refuses a play, for players. */
export const REFUSAL_HEADER = 'Tonearm-Refusal'

/** The page of a listener whose play a limit of the link refuses. */
export const refusalNotices: Record<Refusal, FailureNotice> = {
  country: {
    en: [
      'This link does not play in your country',
      'The person who sent it may have the rights for some countries only.',
    ],
    de: [
      'Dieser Link spielt nicht in Ihrem Land',
      'Wer ihn gesendet hat, hat die Rechte vielleicht nur für einige Länder.',
    ],
  },
  password: {
    en: ['This link needs a password', 'Open its page and enter the password.'],
    de: ['Dieser Link braucht ein Passwort', 'Öffnen Sie seine Seite, und geben Sie das Passwort ein.'],
  },
  plays: {
    en: ['This link has been played as often as it may be', 'Ask the person who sent it to you for a new one.'],
    de: [
      'Dieser Link wurde so oft gespielt, wie er darf',
      'Bitten Sie die Person, die ihn Ihnen geschickt hat, um einen neuen.',
    ],
  },
  listeners: {
    en: ['This link has as many listeners today as it may have', 'Try again tomorrow.'],
    de: ['Dieser Link hat heute so viele Hörer, wie er haben darf', 'Versuchen Sie es morgen erneut.'],
  },
  concurrent: {
    en: ['As many people as may are listening right now', 'Try again later.'],
    de: ['Gerade hören so viele Menschen zu, wie dürfen', 'Versuchen Sie es später erneut.'],
  },
}
