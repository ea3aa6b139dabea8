import '../support/full-extent.ts';
import '../http/conditional.test.ts';
