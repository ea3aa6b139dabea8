import '../support/full-extent.ts';
import '../http/requests/names.test.ts';
