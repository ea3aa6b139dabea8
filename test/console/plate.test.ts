import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { plateOf } from '../../console/model/plate.ts';
import { findVehicle } from '../../src/vehicle-registry/vehicle.ts';

const ids = Array.from({ length: 2000 }, () => `demo-${randomBytes(10).toString('hex')}`);
const numbers = Array.from({ length: 9 }, (_, at) => at + 1);

describe('Console, start: a plate of one’s own', () => {
  test('it follows from the client alone', () => {
    assert.equal(plateOf('demo-3f9a1c5e7b2d4f60a8c1', 1), plateOf('demo-3f9a1c5e7b2d4f60a8c1', 1));
    assert.notEqual(plateOf('demo-3f9a1c5e7b2d4f60a8c1', 1), plateOf('demo-3f9a1c5e7b2d4f60a8c1', 2));
  });

  test('Decisions, vehicles: the registry knows each of them, and none is one of the fleet', () => {
    for (const id of [...ids, 'preset-fleet', '']) {
      for (const number of numbers) {
        const plate = plateOf(id, number);
        assert.match(plate, /^[A-EG-PR-UWY][A-Z]-\d{4}$/);
        assert.ok(findVehicle(plate), plate);
      }
    }
  });

  test('a class of 40 seldom shares one: of 50 classes at most three do', () => {
    const shared = Array.from({ length: 50 }, (_, at) => {
      const plates = ids.slice(at * 40, at * 40 + 40).flatMap((id) => numbers.map((number) => plateOf(id, number)));
      return new Set(plates).size < plates.length;
    });
    assert.ok(shared.filter(Boolean).length <= 3, `${shared.filter(Boolean).length} classes`);
  });
});
