import '../support/full-extent.ts';
import '../http/requests/conditional.test.ts';
