import '../support/full-extent.ts';
import '../events/event-log.test.ts';
