import '../support/full-extent.ts';
import '../events/feed-model.test.ts';
