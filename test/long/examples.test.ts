import '../support/full-extent.ts';
import '../http/descriptions/examples.test.ts';
