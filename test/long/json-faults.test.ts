import '../support/full-extent.ts';
import '../http/json-faults.test.ts';
