import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../../src/database/open.ts';
import { add, ids, refuseGroup } from './full-disk.ts';

/* Runs where a disk of 1 MiB is mounted, which goes with the process. Ends with 0 when all went as it should. */

const disk = process.argv[2] ?? '';
const directory = join(disk, 'data');
const ballast = join(disk, 'ballast');

const database = await openDatabase({ directory });
await add(database, 'a', 10);
assert.throws(() => writeFileSync(ballast, Buffer.alloc(2_000_000)), /ENOSPC/);
await refuseGroup(database);
await refuseGroup(database);
assert.equal(await ids(database), 'a');
rmSync(ballast);
await add(database, 'e', 100_000);
assert.equal(await ids(database), 'a e');
await database.close();

const again = await openDatabase({ directory });
assert.equal(await ids(again), 'a e');
await again.close();
