import '../support/full-extent.ts';
import '../bad-input/fuzz.test.ts';
