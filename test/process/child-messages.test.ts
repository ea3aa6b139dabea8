import { deepEqual } from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { onMessages, type ToParent, wrapped } from '../../src/process/child-messages.ts';

test('Library: messages of Node.js and of test runners on the same channel are none of ours', () => {
  const channel = new EventEmitter();
  const taken: ToParent[] = [];
  onMessages<ToParent>(channel, (message) => taken.push(message));
  const others = [{ 'watch:import': ['file:///a.js'] }, { 'watch:require': [] }, 'lplate', null, undefined, 0, [], {}];
  for (const other of [...others, { lplate: null }, { lplate: 'ready' }, { ready: {} }]) channel.emit('message', other);
  deepEqual(taken, []);
  channel.emit('message', wrapped<ToParent>({ failed: 'why' }));
  deepEqual(taken, [{ failed: 'why' }]);
});
