import { openDatabase } from '../../src/database/open.ts';
import { StartupError } from '../../src/settings/startup-error.ts';

/* A process of its own that opens the database it is told, says so, and keeps it open until its input ends. */

try {
  const database = await openDatabase(JSON.parse(process.argv[2] ?? ''));
  console.log('open');
  process.stdin.resume().on('end', () => database.close());
} catch (error) {
  if (!(error instanceof StartupError)) throw error;
  console.log(error.message);
  process.exitCode = error.exitCode;
}
