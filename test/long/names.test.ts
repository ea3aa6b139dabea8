import '../support/full-extent.ts';
import '../http/names.test.ts';
