import '../support/full-extent.ts';
import '../process/clock.test.ts';
