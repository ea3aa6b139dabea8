import '../support/full-extent.ts';
import '../http/idempotency.test.ts';
