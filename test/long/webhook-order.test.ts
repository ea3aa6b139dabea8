import '../support/full-extent.ts';
import '../claims/webhook-order.test.ts';
