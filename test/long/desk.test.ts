import '../support/full-extent.ts';
import '../claims/desk.test.ts';
