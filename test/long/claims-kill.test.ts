import '../support/full-extent.ts';
import '../process/claims-kill.test.ts';
