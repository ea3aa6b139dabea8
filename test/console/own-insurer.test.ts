import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import type { ExaminedStage } from '../../console/api/types.ts';
import { examineCommand, standingOf } from '../../console/model/own-insurer.ts';

const stage = (name: string, outcome: ExaminedStage['outcome']) => ({ stage: name, outcome }) as ExaminedStage;

test('Examinations: the next stage is the first that has not passed, but for those that were skipped', () => {
  const stages = [stage('a', 'passed'), stage('b', 'skipped'), stage('c', 'failed'), stage('d', null)];
  const { next, ...counts } = standingOf(stages);
  deepEqual([next?.stage, counts], ['c', { passed: 1, of: 4 }]);
  equal(standingOf([stage('a', 'passed'), stage('b', null)]).next?.stage, 'b');
  equal(standingOf([stage('a', 'passed'), stage('b', 'skipped')]).next, undefined);
});

test('Examinations: the console shows a command that names the learner’s client and this L-Plate', () => {
  equal(
    examineCommand('http://trainer:8080', 'demo-1', 'secret'),
    'npx l-plate examine http://localhost:9000/insurer/v1 --to http://trainer:8080 --client-id demo-1 --client-secret secret',
  );
});
