import '../support/full-extent.ts';
import '../claims/slow-reader.test.ts';
