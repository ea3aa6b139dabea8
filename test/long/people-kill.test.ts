import '../support/full-extent.ts';
import '../process/people-kill.test.ts';
