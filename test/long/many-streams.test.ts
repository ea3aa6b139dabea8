import '../support/full-extent.ts';
import '../claims/many-streams.test.ts';
