import '../support/full-extent.ts';
import '../http/answers/idempotency.test.ts';
