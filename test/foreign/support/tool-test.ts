import assert from 'node:assert/strict';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Launch, type Program, startProgram } from '../../support/program.ts';
import { pins, type Runtime } from './tools.ts';

/** Empty when the tests of this folder were not started by `npm run test:clients`. */
const there = (process.env.CLIENTS_RUNTIMES ?? '').split(' ');

interface Settings extends Launch {
  /** A runtime that the test needs besides those of its tools. */
  readonly runtime?: Runtime;
}

/** What a test of a tool has: a real program, and a folder for what the tool makes. */
export interface Place {
  readonly t: TestContext;
  readonly program: Program;
  /** As the descriptions name it. */
  readonly origin: string;
  readonly folder: string;
  /** Fetches a published document into a file of the folder, and returns its path. */
  document(path: string, name: string): Promise<string>;
}

type Body = (place: Place) => Promise<void>;

/** A test of the named tools, whose pinned versions are part of its title; without a name, of what a runtime has. */
export function toolTest(tools: readonly string[], rule: string, body: Body): void;
export function toolTest(tools: readonly string[], rule: string, settings: Settings, body: Body): void;
export function toolTest(tools: readonly string[], rule: string, ...rest: [Body] | [Settings, Body]): void {
  const [{ runtime, ...settings }, body] = rest.length === 1 ? [{} as Settings, rest[0]] : rest;
  const wanted = tools.map((tool) => {
    const pin = pins.get(tool);
    assert.ok(pin, `${tool} is not pinned`);
    return { ...pin, label: `${tool} ${pin.version}` };
  });
  const needed = [...wanted.map((pin) => pin.runtime), ...(runtime ? [runtime] : [])];
  const lacking = needed.find((one) => !there.includes(one));
  const skip = lacking && `no ${lacking}; or not started by npm run test:clients`;
  const title = wanted.length === 0 ? rule : `${rule} [${wanted.map(({ label }) => label).join(', ')}]`;
  test(title, { skip }, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'l-plate-clients-'));
    const program = await startProgram(t, { directory: join(folder, 'data') }, settings);
    const origin = program.url.replace('127.0.0.1', 'localhost');
    await body({
      t,
      program,
      origin,
      folder,
      async document(path, name) {
        const response = await fetch(`${origin}${path}`);
        assert.equal(response.status, 200, path);
        const file = join(folder, name);
        await writeFile(file, await response.text());
        return file;
      },
    });
  });
}

/** Every OpenAPI description that is served, with a name for its file. */
export const openapi = {
  insurer: '/insurer/v1/openapi.yaml',
  'insurer-v0': '/insurer/v0/openapi.yaml',
  claims: '/claims/v1/openapi.yaml',
  'vehicle-registry': '/vehicle-registry/v2/openapi.yaml',
  range: '/range/v1/openapi.yaml',
} as const;

export const asyncapi = '/claims/v1/asyncapi.yaml';
