import { AbstractStartedContainer, GenericContainer, Wait } from 'testcontainers';

const port = 8080;
const trainerToken = 'trainer-of-the-tests';

/** Nothing on disk, no rate limits, and the same ids, secrets and times in each run. */
const settings = {
  DATA_DIR: 'memory',
  SEED: '47',
  NOW: '2026-03-01T09:00Z',
  RATE_LIMIT_PER_MINUTE: 'off',
  PROBE_LIMIT_PER_MINUTE: 'off',
  TRAINER_TOKEN: trainerToken,
};

export class LPlateContainer extends GenericContainer {
  constructor(image = 'l-plate') {
    super(image);
    this.withEnvironment(settings).withExposedPorts(port).withWaitStrategy(Wait.forHttp('/readyz', port));
  }

  async start() {
    return new StartedLPlateContainer(await super.start());
  }
}

export class StartedLPlateContainer extends AbstractStartedContainer {
  trainerToken = trainerToken;

  get url() {
    return `http://${this.getHost()}:${this.getMappedPort(port)}`;
  }

  async token() {
    const credentials = await this.#call('/insurer/v1/demo-clients');
    return (await this.#call('/insurer/v1/auth/token', credentials)).access_token;
  }

  async reset() {
    await this.#call('/range/v1/trainer/reset?what=everything', undefined, this.trainerToken);
  }

  async advance(duration) {
    await this.#call('/range/v1/trainer/clock', { advance: duration }, this.trainerToken);
  }

  async #call(path, body, token) {
    const headers = {
      ...(body && { 'Content-Type': 'application/json' }),
      ...(token && { Authorization: `Bearer ${token}` }),
    };
    const answer = await fetch(this.url + path, { method: 'POST', headers, body: body && JSON.stringify(body) });
    const read = await answer.json();
    if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${read.detail}`);
    return read;
  }
}
