import '../support/full-extent.ts';
import '../console/webhook.test.ts';
