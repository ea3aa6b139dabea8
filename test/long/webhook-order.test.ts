import '../support/full-extent.ts';
import '../webhooks/order.test.ts';
