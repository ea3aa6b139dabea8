import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { topicPath } from '../../console/model/topic-log.ts';
import { topics } from '../../src/app.ts';
import { bases, type Document, description } from '../support/description.ts';
import { onSqlite } from '../support/engines.ts';
import { startLPlate } from '../support/lplate.ts';

/* Each topic that is served has its place in whatever works for all of them. */

onSqlite((engine) => {
  test('Design, events: each topic that is served is relayed to Kafka, described in AsyncAPI, and followed by the console', async (t) => {
    const lplate = await startLPlate(t, engine);
    const served: string[] = [];
    const described: string[] = [];
    for (const base of bases) {
      const paths = Object.keys((await description(base)).paths);
      const ofTopics = paths.filter((path) => path.startsWith('/topics/'));
      served.push(...ofTopics.map((path) => base + path));
      if (!paths.includes('/asyncapi.yaml')) continue;
      const answer = await fetch(`${lplate.url}${base}/asyncapi.json`);
      const { channels } = (await answer.json()) as Document;
      described.push(
        ...ofTopics.filter((path) => path.slice('/topics/'.length) in channels).map((path) => base + path),
      );
    }
    deepEqual(
      topics.map(({ name }) => name),
      served.map((path) => path.split('/').at(-1)),
    );
    deepEqual(described, served);
    deepEqual([topicPath], served);
  });
});
