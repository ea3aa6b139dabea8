import { AbstractStartedContainer, GenericContainer } from 'testcontainers';

/** L-Plate in a container: nothing on disk, no rate limits, and the same ids, secrets and times in each run. */
export class LPlateContainer extends GenericContainer {
  /** @param image `l-plate`, as `docker build -t l-plate .` in the clone makes it, unless you name another */
  constructor(image?: string);
  start(): Promise<StartedLPlateContainer>;
}

export class StartedLPlateContainer extends AbstractStartedContainer {
  /** Where tests reach it, without a slash at the end. */
  get url(): string;
  readonly trainerToken: string;
  /** An access token of a new demo client. */
  token(): Promise<string>;
  /** Brings back the state of the start. Clients are gone then. */
  reset(): Promise<void>;
  /** Lets time go on for everybody, such as `PT10S`. */
  advance(duration: string): Promise<void>;
}
