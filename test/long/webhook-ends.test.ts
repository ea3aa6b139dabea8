import '../support/full-extent.ts';
import '../claims/webhook-ends.test.ts';
