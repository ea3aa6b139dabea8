import '../support/full-extent.ts';
import '../insurer/people/bounds.test.ts';
