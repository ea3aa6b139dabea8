import '../support/full-extent.ts';
import '../bad-input/routes.test.ts';
