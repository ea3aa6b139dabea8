/** The part of autocannon that is used here; it brings no types. */
declare module 'autocannon' {
  function autocannon(options: autocannon.Options): autocannon.Run;
  namespace autocannon {
    interface Request {
      method: string;
      path: string;
      headers: Record<string, string>;
      body: string | undefined;
      setupRequest?: (request: Request) => Request;
    }
    interface Options {
      url: string;
      connections: number;
      /** Seconds. */
      duration: number;
      requests: Request[];
    }
    interface Result {
      /** Seconds. */
      duration: number;
      non2xx: number;
      errors: number;
      timeouts: number;
    }
    interface Run extends Promise<Result> {
      on(event: 'response', told: (client: unknown, status: number, bytes: number, milliseconds: number) => void): this;
    }
  }
  export = autocannon;
}
