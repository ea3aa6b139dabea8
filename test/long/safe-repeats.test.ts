import '../support/full-extent.ts';
import '../process/safe-repeats.test.ts';
