import '../support/full-extent.ts';
import '../bad-input/topic.test.ts';
