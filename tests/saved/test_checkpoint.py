"""`tf.train.Checkpoint` saves and restores values, also of objects that appear later."""

from __future__ import annotations

import copy
import os
import pathlib
import threading

import numpy as np
import pytest

import tfcompat as tf
from tests.saved import objects

Checkpoint = tf.train.Checkpoint


class Thing(tf.Module):
    pass


def thing(**attributes):
    found = Thing()
    for name, value in attributes.items():
        setattr(found, name, value)
    return found


def of(*values):
    return tf.Variable(list(values))


def saved(folder, **parts):
    return Checkpoint(**parts).save(str(folder / "ck"))


def test_save_numbers_checkpoints_and_notes_the_latest(tmp_path):
    checkpoint = Checkpoint(v=of(1.0))
    assert int(checkpoint.save_counter) == 0
    assert checkpoint.save(tmp_path / "ck") == str(tmp_path / "ck-1")
    assert checkpoint.save(str(tmp_path / "ck")) == str(tmp_path / "ck-2")
    assert int(checkpoint.save_counter) == 2
    assert tf.train.latest_checkpoint(str(tmp_path)) == str(tmp_path / "ck-2")
    text = 'model_checkpoint_path: "ck-2"\nall_model_checkpoint_paths: "ck-2"\n'
    assert (tmp_path / "checkpoint").read_text() == text
    assert sorted(os.listdir(tmp_path))[1:3] == ["ck-1.data-00000-of-00001", "ck-1.index"]


def test_write_does_not_count(tmp_path):
    checkpoint = Checkpoint(v=of(1.0))
    assert checkpoint.write(tmp_path / "ck") == str(tmp_path / "ck")
    assert not (tmp_path / "checkpoint").exists()
    names = [name for name, _ in tf.train.list_variables(str(tmp_path / "ck"))]
    assert names == ["_CHECKPOINTABLE_OBJECT_GRAPH", "v/.ATTRIBUTES/VARIABLE_VALUE"]
    checkpoint.read(tmp_path / "ck").assert_consumed()


def test_a_name_can_be_written_several_times(tmp_path):
    v = of(0.0)
    for number in range(4):
        v.assign([float(number)])
        Checkpoint(v=v).write(str(tmp_path / "ck"))
        other = of(9.0)
        Checkpoint(v=other).read(str(tmp_path / "ck")).assert_consumed()
        assert other.numpy() == [number]
    assert len(list(tmp_path.iterdir())) == 2


def test_prefix_of_bytes_is_answered_as_text(tmp_path):
    path = os.fsencode(tmp_path / "ck")
    assert Checkpoint(v=of(1.0)).write(path) == str(tmp_path / "ck")
    Checkpoint(v=of(2.0)).read(path).assert_consumed()


def test_checkpoint_of_a_root_has_the_names_of_its_attributes(tmp_path):
    root = thing(a=of(1.0))
    path = Checkpoint(root, b=of(2.0)).save(str(tmp_path / "ck"))
    names = [name.partition("/")[0] for name, _ in tf.train.list_variables(path)]
    assert names == ["_CHECKPOINTABLE_OBJECT_GRAPH", "a", "b", "save_counter"]
    other = thing(a=of(0.0), b=of(0.0))
    checkpoint = Checkpoint(root=other)
    checkpoint.restore(path).assert_consumed()
    assert (other.a.numpy(), other.b.numpy(), int(checkpoint.save_counter)) == ([1.0], [2.0], 1)


def test_a_variable_may_be_the_root(tmp_path):
    path = Checkpoint(tf.Variable(1.0)).write(str(tmp_path / "ck"))
    assert tf.train.list_variables(path)[0] == ("/.ATTRIBUTES/VARIABLE_VALUE", [])
    other = tf.Variable(2.0)
    Checkpoint(other).read(path).assert_consumed()
    assert other.numpy() == 1.0


@pytest.mark.parametrize("arguments", [{"a": 3}, {"root": 3}, {"a": "text"}])
def test_objects_must_be_trackable(arguments):
    with pytest.raises(ValueError, match=r"was expecting .* to be a trackable object"):
        Checkpoint(**arguments)


def test_a_name_of_the_root_is_taken():
    with pytest.raises(ValueError, match=r"with keyword argument a if root\.a already exists"):
        Checkpoint(thing(a=of(1.0)), a=of(2.0))


def test_variables_that_appear_later_are_restored(tmp_path):
    path = saved(tmp_path, part=thing(a=of(1.0), inner=thing(b=of(2.0))))
    part = Thing()
    status = Checkpoint(part=part).restore(path)
    part.inner = Thing()
    with pytest.raises(AssertionError, match=r"Unresolved object in checkpoint \(root\)\.part\.(a|inner\.b)"):
        status.assert_consumed()
    part.a = of(0.0)
    part.inner.b = of(0.0)
    assert (part.a.numpy(), part.inner.b.numpy()) == ([1.0], [2.0])
    status.assert_consumed()
    part.a.assign([5.0])
    part.a = of(6.0)
    assert part.a.numpy() == [6.0]


def test_copies_of_objects_wait_for_the_same_values(tmp_path):
    path = saved(tmp_path, part=thing(a=of(1.0)))
    part = Thing()
    Checkpoint(part=part).restore(path).expect_partial()
    copied = copy.deepcopy(part)
    part.a, copied.a = of(0.0), of(0.0)
    assert (part.a.numpy(), copied.a.numpy()) == ([1.0], [1.0])


@pytest.mark.parametrize("is_root", [False, True])
def test_copied_checkpoint_saves_and_restores_the_copied_objects(is_root, tmp_path):
    part = thing(a=of(1.0))
    checkpoint = Checkpoint(part) if is_root else Checkpoint(part=part)
    checkpoint.save(str(tmp_path / "ck"), tf.train.CheckpointOptions(enable_async=True))
    copied = copy.deepcopy(checkpoint)
    own = copied.root if is_root else copied.part
    own.a.assign([2.0])
    path = copied.save(str(tmp_path / "copied"))
    names = [name for name, _ in tf.train.list_variables(path) if name.endswith("/VARIABLE_VALUE")]
    assert [tf.train.load_variable(path, name).tolist() for name in names] == [[2.0], 2]
    own.a.assign([3.0])
    copied.restore(path).assert_consumed()
    checkpoint.sync()
    assert (part.a.numpy(), own.a.numpy()) == ([1.0], [2.0])


def test_the_latest_of_two_restorations_counts(tmp_path):
    paths = [Checkpoint(part=thing(a=of(value))).write(str(tmp_path / str(value))) for value in (1.0, 2.0)]
    part = Thing()
    checkpoint = Checkpoint(part=part)
    for path in paths:
        checkpoint.read(path).expect_partial()
    part.a = of(0.0)
    assert part.a.numpy() == [2.0]


def test_elements_that_are_appended_later_are_restored(tmp_path):
    path = saved(tmp_path, part=thing(parts=[of(1.0), of(2.0)], named={"k": of(3.0)}))
    part = thing(parts=[], named={})
    status = Checkpoint(part=part).restore(path)
    part.parts.append(of(0.0))
    part.parts.append(of(0.0))
    part.named["k"] = of(0.0)
    status.assert_consumed()
    assert [each.numpy()[0] for each in (*part.parts, part.named["k"])] == [1.0, 2.0, 3.0]


def test_variables_of_a_function_are_restored_at_its_first_call(tmp_path):
    path = saved(tmp_path, part=thing(a=of(3.0)))
    part = Thing()
    Checkpoint(part=part).restore(path).expect_partial()

    @tf.function
    def doubled():
        if not hasattr(part, "a"):
            part.a = tf.Variable([0.0])
        return 2.0 * part.a

    assert doubled().numpy() == [6.0]
    assert part.a.numpy() == [3.0]


def test_restored_variables_can_be_trained(tmp_path):
    v = of(1.0, 2.0)
    path = saved(tmp_path, v=v)
    v.assign_add([1.0, 1.0])
    before = v.read_value()
    Checkpoint(v=v).restore(path)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(v * v)
    v.assign_sub(tape.gradient(loss, v))
    assert before.numpy().tolist() == [2.0, 3.0]
    assert v.numpy().tolist() == [-1.0, -2.0]


def test_saved_values_are_those_of_the_call(tmp_path):
    v = of(1.0)
    v.assign_add([1.0])
    checkpoint = Checkpoint(v=v)
    path = checkpoint.write(str(tmp_path / "ck"))
    v.assign_add([1.0])
    checkpoint.read(path)
    assert v.numpy() == [2.0]


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        ([0.0, 0.0, 0.0], ValueError, r"Received incompatible tensor with shape \(2,\) .* with shape \(3,\)"),
        ([0, 0], tf.errors.InvalidArgumentError, "expected dtype int32 does not equal original dtype float"),
    ],
)
def test_other_shapes_and_dtypes_are_errors(tmp_path, value, error, message):
    path = saved(tmp_path, v=of(1.0, 2.0))
    v = tf.Variable(value)
    with pytest.raises(error, match=message):
        Checkpoint(v=v).restore(path)
    assert v.numpy().tolist() == value


@pytest.mark.parametrize("kind", ["list", "dictionary"])
def test_later_element_of_another_shape_stays_as_it_is(tmp_path, caplog, kind):
    """As in TensorFlow, which drops the error for elements of containers; an attribute raises it."""
    source = tf.Module()
    source.parts, source.named, source.single = [of(1.0, 2.0), of(3.0)], {"a": of(1.0, 2.0), "b": of(3.0)}, of(1.0, 2.0)
    path = Checkpoint(source).write(str(tmp_path / "ck"))
    module = tf.Module()
    module.parts, module.named = [], {}
    status = Checkpoint(module).restore(path)
    if kind == "list":
        module.parts.extend([of(0.0, 0.0, 0.0), of(0.0)])
        found = module.parts
    else:
        module.named.update({"a": of(0.0, 0.0, 0.0), "b": of(0.0)})
        found = list(module.named.values())
    assert [each.numpy().tolist() for each in found] == [[0.0, 0.0, 0.0], [3.0]]
    assert (
        len(module._trackable_children()[{"list": "parts", "dictionary": "named"}[kind]]._checkpoint_dependencies) == 2
    )
    assert "is not restored from a checkpoint: Received incompatible tensor" in caplog.text
    with pytest.raises(AssertionError):
        status.assert_existing_objects_matched()
    with pytest.raises(ValueError, match="Received incompatible tensor"):
        module.single = of(0.0)


def test_open_shapes_take_any_size(tmp_path):
    path = saved(tmp_path, v=of(1.0, 2.0))
    v = tf.Variable([0.0], shape=[None])
    Checkpoint(v=v).restore(path).assert_consumed()
    assert v.numpy().tolist() == [1.0, 2.0]


def test_missing_files_are_not_found(tmp_path):
    checkpoint = Checkpoint(v=of(1.0))
    with pytest.raises(
        tf.errors.NotFoundError, match=r"(?s)Failed to find any matching files for .*Please double-check"
    ):
        checkpoint.restore(str(tmp_path / "ck-1"))
    with pytest.raises(tf.errors.NotFoundError, match="No such file or directory"):
        checkpoint.save("/proc/no/ck")


def test_variables_of_a_saved_model_are_restored(tmp_path):
    Checkpoint(v=of(1.0)).write(tmp_path / "variables" / "variables")
    (tmp_path / "saved_model.pb").write_bytes(b"")
    v = of(0.0)
    Checkpoint(v=v).restore(tmp_path).expect_partial()
    assert v.numpy() == [1.0]


def test_functions_cannot_save(tmp_path):
    checkpoint = Checkpoint(v=of(1.0))
    with pytest.raises(NotImplementedError, match=r"Calling tf\.train\.Checkpoint\.save\(\) from a function"):
        tf.function(lambda: checkpoint.save(str(tmp_path / "ck")))()


def test_subclasses_that_serialise_themselves(tmp_path):
    class Celsius(tf.__internal__.tracking.AutoTrackable):
        def __init__(self, kelvin):
            self.kelvin = kelvin

        def _serialize_to_tensors(self):
            return {"kelvin": tf.constant(self.kelvin), "unit": tf.constant("K")}

        def _restore_from_tensors(self, restored_tensors):
            self.kelvin = float(restored_tensors["kelvin"])
            assert restored_tensors["unit"].numpy() == b"K"

    path = saved(tmp_path, part=Celsius(1.5))
    names = [name for name, _ in tf.train.list_variables(path)]
    assert names[1:3] == ["part/.ATTRIBUTES/kelvin", "part/.ATTRIBUTES/unit"]
    other = Celsius(0.0)
    Checkpoint(part=other).restore(path).assert_consumed()
    assert other.kelvin == 1.5


def test_checkpoints_of_names_are_restored_by_name():
    folder = pathlib.Path(__file__).with_name("named")
    first, second = tf.Variable([0.0, 0.0], name="first"), tf.Variable(0, dtype=tf.int64, name="scope/second")
    checkpoint = Checkpoint(first=first)
    status = checkpoint.restore(str(folder / "model"))
    checkpoint.second = second
    status.assert_consumed()
    assert (first.numpy().tolist(), second.numpy()) == ([1.5, 2.5], 7)
    other = Checkpoint(other=tf.Variable(1.0, name="other"))
    with pytest.raises(AssertionError, match="Some objects had attributes which were not restored"):
        other.restore(str(folder / "model")).assert_consumed()


def test_views_of_objects_and_of_checkpoints(tmp_path):
    part = thing(a=of(1.0), parts=[of(2.0)])
    assert list(tf.train.TrackableView(part).children(part)) == ["a", "parts"]
    assert len(tf.train.TrackableView(part).descendants()) == 4
    view = tf.train.CheckpointView(saved(tmp_path, part=part))
    assert view.children(0) == {"part": 1, "save_counter": 2}
    assert view.descendants() == [0, 1, 2, 3, 4, 5]
    of_root = tf.train.CheckpointView(Checkpoint(root=part, extra=of(3.0)).save(str(tmp_path / "root")))
    assert list(of_root.children(0)) == ["a", "parts", "extra", "root", "save_counter"]
    assert of_root.children(0)["root"] == 0
    other = Checkpoint(part=thing(a=of(0.0), b=of(0.0)))
    matched, only_saved, only_here = view.diff(other)
    assert matched == view.match(other)
    assert (sorted(matched), only_saved) == ([0, 1, 3], [2, 4, 5])
    assert [each is other.part.b for each in only_here] == [True]
    with pytest.raises(ValueError, match="does not appear to be object-based"):
        tf.train.CheckpointView(str(pathlib.Path(__file__).with_name("named") / "model"))


def test_random_numbers_continue(tmp_path):
    drawn = tf.random.Generator.from_seed(3)
    drawn.normal([2])
    path = saved(tmp_path, drawn=drawn)
    expected = drawn.normal([3]).numpy()
    Checkpoint(drawn=drawn).restore(path).assert_consumed()
    np.testing.assert_array_equal(drawn.normal([3]), expected)


def test_file_in_the_place_of_a_folder(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(tf.errors.FailedPreconditionError, match=r"[Nn]ot a directory"):
        tf.train.Checkpoint(v=tf.Variable(1.0)).save(str(tmp_path / "file" / "ck"))
    with pytest.raises(tf.errors.FailedPreconditionError, match=r"[Nn]ot a directory"):
        tf.saved_model.save(tf.Module(), str(tmp_path / "file"))
    with pytest.raises(tf.errors.FailedPreconditionError, match=r"[Nn]ot a directory"):
        tf.io.gfile.makedirs(str(tmp_path / "file"))


def test_threads_that_need_the_counter_at_once_make_one(monkeypatch):
    checkpoint, found = tf.train.Checkpoint(v=tf.Variable(1.0)), []
    other = threading.Thread(target=lambda: found.append(checkpoint.save_counter))

    def variable(*args, **options):
        monkeypatch.undo()
        other.start()
        other.join(0.1)  # it waits for this thread
        return tf.Variable(*args, **options)

    monkeypatch.setattr("tfcompat._saved.checkpoint.Variable", variable)
    found.append(checkpoint.save_counter)
    other.join()
    assert [each is checkpoint.save_counter for each in found] == [True, True]


def test_threads_that_save_at_once_are_all_counted(tmp_path):
    checkpoint, count = tf.train.Checkpoint(v=tf.Variable(1.0)), 15
    checkpoint.save(tmp_path / "first")

    def save():
        for _ in range(count):
            checkpoint.save(tmp_path / threading.current_thread().name)

    threads = [threading.Thread(target=save, name=f"thread{k}") for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert int(checkpoint.save_counter) == 1 + 2 * count


def parts():
    return thing(parts=[of(0.0, 0.0), of(0.0, 0.0, 0.0), tf.Variable(0)])


def slots_of(sums):
    return [slot.numpy().tolist() for slot in sums.slots.values()]


def test_slots_wait_for_their_optimizer_and_for_their_variable(tmp_path):
    saved = objects.slots(3).save(str(tmp_path / "ck"))
    checkpoint = Checkpoint(thing=parts(), deep=Thing())
    status = checkpoint.restore(saved)
    with pytest.raises(AssertionError, match=r"Unresolved object in checkpoint \(root\).sums.count"):
        status.assert_consumed()
    checkpoint.sums = objects.Sums()
    assert slots_of(checkpoint.sums) == [[3.0, 2.0], [0.5, 12.0, 1.0]]
    status.assert_consumed()

    late = Checkpoint(sums=objects.Sums(), deep=Thing())
    status = late.restore(saved)
    assert not late.sums.slots
    status.assert_existing_objects_matched()
    late.thing = parts()
    assert slots_of(late.sums) == [[3.0, 2.0], [0.5, 12.0, 1.0]]
    status.assert_consumed()


def test_slots_are_checked_as_other_values(tmp_path):
    saved = objects.slots(3).save(str(tmp_path / "ck"))
    checkpoint = Checkpoint(thing=parts(), deep=Thing(), sums=thing(count=tf.Variable(0)))
    with pytest.raises(AssertionError, match=r"\(root\).sums's state 'su/m' for \(root\).thing.parts.0"):
        checkpoint.restore(saved).assert_consumed()
    skipping = tf.train.CheckpointOptions(experimental_skip_slot_variables=True)
    checkpoint.restore(saved, skipping).assert_consumed()
    without = Checkpoint(thing=parts()).save(str(tmp_path / "without"))
    with pytest.raises(AssertionError, match="Found 3 Python objects"):
        objects.slots(3).restore(without).assert_existing_objects_matched()


def test_slot_that_is_a_dependency_is_refused(tmp_path):
    checkpoint = objects.slots(3)
    checkpoint.mine = checkpoint.sums.get_slot(checkpoint.thing.parts[0], "su/m")
    with pytest.raises(NotImplementedError, match="is a slot of an optimizer and a dependency, too"):
        checkpoint.save(str(tmp_path / "ck"))
