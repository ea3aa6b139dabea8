import '../support/full-extent.ts';
import '../insurer/model.test.ts';
