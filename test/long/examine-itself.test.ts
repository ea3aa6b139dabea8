import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { examine } from '../../src/examine/examine.ts';
import { stageText } from '../../src/examine/report.ts';
import { stages } from '../../src/examine/stages/index.ts';
import { startExamined } from '../examine/examined.ts';
import { forEachEngine } from '../support/engines.ts';

forEachEngine((engine) => {
  test('Examinations: L-Plate passes all stages, each with fewer than 400 calls', async (t) => {
    const { url, close } = await startExamined(engine);
    t.after(close);
    const { results } = await examine(`${url}/insurer/v1`, { all: true, seed: 7 });
    deepEqual(results.filter(({ outcome }) => outcome === 'failed').map(stageText), []);
    equal(results.length, stages.length);
    ok(results.every(({ calls }) => calls < 400));
  });
});
