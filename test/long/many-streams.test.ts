import '../support/full-extent.ts';
import '../events/many-streams.test.ts';
