/**
 * A start that failed, or what was asked for in its place, reported to the user in one line.
 * Exit code 2: a flag or setting can't be used. Exit code 1: the environment is not usable (port, directory, database).
 */
export class StartupError extends Error {
  override name = 'StartupError';
  readonly exitCode: 1 | 2;
  /** Flags to start with instead, by their names. The command line names them after the message, with those that were given. */
  readonly instead: Readonly<Record<string, string>> | undefined;

  constructor(exitCode: 1 | 2, message: string, instead?: Readonly<Record<string, string>>) {
    super(message);
    this.exitCode = exitCode;
    this.instead = instead;
  }
}
