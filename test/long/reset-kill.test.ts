import '../support/full-extent.ts';
import '../process/reset-kill.test.ts';
