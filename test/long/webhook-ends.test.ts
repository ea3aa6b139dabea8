import '../support/full-extent.ts';
import '../webhooks/ends.test.ts';
