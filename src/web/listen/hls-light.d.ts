/** The package has no types for its smaller build, which is without subtitles, encryption and alternative renditions. */
declare module 'hls.js/light' {
  export { default } from 'hls.js'
}
