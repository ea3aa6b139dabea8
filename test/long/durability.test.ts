import '../support/full-extent.ts';
import '../process/durability.test.ts';
