declare module '@20minutes/s3rver' {
  import type { AddressInfo } from 'node:net'

  /** An S3 server whose objects are in a folder. */
  export default class S3rver {
    constructor(options: { address: string; port: number; silent: boolean; directory: string; vhostBuckets: boolean })
    run(): Promise<AddressInfo>
    close(): Promise<void>
  }
}
