import '../support/full-extent.ts';
import '../claims/event-log.test.ts';
