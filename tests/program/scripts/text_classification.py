"""Texts cleaned, cut into words, numbered by a vocabulary in a file, and classified by the mean of word vectors."""

import os
import tempfile

import tensorflow as tf

TEXTS = [
    "The movie was GREAT, great fun!",
    "terrible plot; terrible acting...",
    "A great cast<br />and a great éclair",
    "boring, boring, and bad",
    "fun & lovely",
    "bad bad bad",
]
LABELS = tf.constant([1, 0, 1, 0, 1, 0])
PUNCTUATION = "[!\"#$%&()\\*\\+,\\-\\./:;<=>?@\\[\\\\\\]^_`{|}~']"


def words_of(texts):
    lowered = tf.strings.lower(texts, encoding="utf-8")
    without_tags = tf.strings.regex_replace(lowered, "<br />", " ")
    return tf.strings.split(tf.strings.regex_replace(without_tags, PUNCTUATION, ""))


words = words_of(tf.constant(TEXTS))
print(words)
known, _, counts = tf.unique_with_counts(words.flat_values)
order = tf.argsort(counts, direction="DESCENDING", stable=True)[:8]
vocabulary = tf.gather(known, order)
print(vocabulary, tf.gather(counts, order))

path = os.path.join(tempfile.mkdtemp(), "vocabulary.txt")
with open(path, "wb") as file:
    file.write(b"\n".join(vocabulary.numpy().tolist()))
WHOLE_LINE, LINE_NUMBER = tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER
lines = tf.lookup.TextFileInitializer(path, tf.string, WHOLE_LINE, tf.int64, LINE_NUMBER)
table = tf.lookup.StaticVocabularyTable(lines, num_oov_buckets=3)
numbers = table.lookup(words)
print(numbers, table.size())
inverse = tf.lookup.TextFileInitializer(path, tf.int64, LINE_NUMBER, tf.string, WHOLE_LINE)
names = tf.lookup.StaticHashTable(inverse, "[other]")
print(tf.strings.reduce_join(names.lookup(numbers), axis=-1, separator=" "))

ids = numbers.to_tensor(0)
vectors = tf.Variable(tf.random.stateless_normal([11, 4], [1, 2]))
weights = tf.Variable(tf.zeros([4, 1]))


@tf.function
def step(ids, labels):
    with tf.GradientTape() as tape:
        means = tf.reduce_mean(tf.nn.embedding_lookup(vectors, ids), 1)
        logits = tf.squeeze(means @ weights, -1)
        targets = tf.cast(labels, tf.float32)
        loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=targets, logits=logits))
    gradients = tape.gradient(loss, [vectors, weights])
    vectors.assign_sub(0.5 * tf.convert_to_tensor(gradients[0]))
    weights.assign_sub(0.5 * gradients[1])
    said = tf.gather(["negative", "positive"], tf.cast(logits > 0, tf.int32))
    return loss, tf.strings.join([said, tf.as_string(tf.sigmoid(logits), precision=2)], separator=" ")


for i in range(30):
    loss, answers = step(ids, LABELS)
    if i % 10 == 9:
        print(i, float(loss))
print(answers)
print(tf.strings.join(["epoch", tf.as_string(30, width=4, fill="0"), "ckpt"], separator="."))
