import '../support/full-extent.ts';
import '../bad-input/floods.test.ts';
