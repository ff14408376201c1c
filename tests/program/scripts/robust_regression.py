"""Regression with outliers: four losses, penalties, a decaying rate, early stopping, the best weights kept."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(7)
X = rng.randn(120, 5).astype("float32")
true_w = np.array([1.5, -2.0, 0.0, 0.0, 0.7], "float32")
y = X @ true_w + 0.3 + 0.1 * rng.randn(120).astype("float32")
y[::15] += 8.0
x_train, y_train = tf.constant(X[:90]), tf.constant(y[:90])
x_val, y_val = tf.constant(X[90:]), tf.constant(y[90:])


def huber(error, delta=1.0):
    size = tf.abs(error)
    quadratic = tf.minimum(size, delta)
    return tf.reduce_mean(0.5 * quadratic**2 + delta * (size - quadratic))


def log_cosh(error):
    return tf.reduce_mean(error + tf.nn.softplus(-2.0 * error) - tf.math.log(2.0))


def quantile(error, q=0.6):
    return tf.reduce_mean(tf.maximum(q * error, (q - 1) * error))


def mse(error):
    return tf.reduce_mean(tf.math.squared_difference(error, 0.0))


def fit(loss_fn, l1=0.0, l2=0.0, patience=5):
    w = tf.Variable(tf.zeros([5, 1]), name="w")
    b = tf.Variable(0.0, name="b")

    def predict(x):
        return tf.squeeze(x @ w, axis=-1) + b

    best, best_weights, waited = float("inf"), None, 0
    for epoch in range(200):
        lr = 0.3 * 0.97**epoch
        for start in range(0, 90, 30):
            xb, yb = x_train[start : start + 30], y_train[start : start + 30]
            with tf.GradientTape() as tape:
                loss = loss_fn(yb - predict(xb))
                loss += l1 * tf.reduce_sum(tf.abs(w)) + l2 * tf.nn.l2_loss(w)
            for var, grad in zip([w, b], tape.gradient(loss, [w, b])):
                var.assign_sub(lr * grad)
        val = loss_fn(y_val - predict(x_val))
        if val < best - 1e-4:
            best, waited = float(val), 0
            best_weights = [w.numpy(), b.numpy()]
        else:
            waited += 1
            if waited >= patience:
                break
    w.assign(best_weights[0])
    b.assign(best_weights[1])
    return epoch, best, w, b


for name, loss_fn, l1, l2 in [
    ("mse", mse, 0.0, 0.01),
    ("huber", huber, 0.02, 0.0),
    ("log_cosh", log_cosh, 0.0, 0.0),
    ("quantile", quantile, 0.01, 0.01),
]:
    epoch, best, w, b = fit(loss_fn, l1, l2)
    print(name, "stopped at", epoch, "best %.4f" % best, np.round(w.numpy().ravel(), 3), "b = {:.3f}".format(b.numpy()))
