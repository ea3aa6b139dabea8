import { writeSync } from 'node:fs';
import { openDatabase } from '../../src/database/open.ts';

/* A process that is traced: it writes to the database and says so on its output as soon as each write resolves. */

const database = await openDatabase({ directory: process.argv[2] ?? '' });
for (let i = 0; i < 20; i++) {
  await database.write(
    (sql) => sql.run`insert into signing_keys (id, jwk, created_at) values (${`k${i}`}, ${'{}'}, ${'now'})`,
  );
  writeSync(1, `acknowledged ${i}\n`);
}
await database.close();
