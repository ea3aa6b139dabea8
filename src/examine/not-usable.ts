/** That nothing can be examined: a wrong address, stage or seed, a service that is not there, nobody to send to. */
export class NotUsable extends Error {}
