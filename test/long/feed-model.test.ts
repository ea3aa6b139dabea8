import '../support/full-extent.ts';
import '../claims/feed-model.test.ts';
