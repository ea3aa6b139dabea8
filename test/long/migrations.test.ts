import '../support/full-extent.ts';
import '../database/migrations.test.ts';
