import '../support/full-extent.ts';
import '../text/json-faults.test.ts';
