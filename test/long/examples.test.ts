import '../support/full-extent.ts';
import '../http/examples.test.ts';
