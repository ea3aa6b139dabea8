import '../support/full-extent.ts';
import '../process/stop.test.ts';
